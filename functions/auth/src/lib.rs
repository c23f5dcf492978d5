//! Sign-in, sessions, passwords, addresses and tokens.

mod accept_invitation;
mod change_email;
mod change_password;
mod confirm_email;
mod create_token;
mod delete_sign_in;
mod delete_token;
mod delete_token_of_user;
mod end_session;
mod end_sessions;
mod end_sessions_of_user;
mod forgot_password;
mod get_sign_in;
mod list_sessions;
mod list_sessions_of_user;
mod list_tokens;
mod list_tokens_of_user;
mod login;
mod logout;
mod oidc;
mod put_sign_in;
mod reset_password;
mod session;
mod sign_in_ways;
mod state;
mod test_sign_in;
mod view;

use shared::{http::Routes, operation};

pub use state::Auth;

pub fn routes() -> Routes<Auth> {
    let operations = [
        operation!(login::login),
        operation!(logout::logout),
        operation!(session::get_session),
        operation!(accept_invitation::accept_invitation),
        operation!(forgot_password::forgot_password),
        operation!(reset_password::reset_password),
        operation!(change_email::change_email),
        operation!(confirm_email::confirm_email),
        operation!(change_password::change_password),
        operation!(list_sessions::list_sessions),
        operation!(end_sessions::end_sessions),
        operation!(end_session::end_session),
        operation!(list_sessions_of_user::list_user_sessions),
        operation!(end_sessions_of_user::end_user_sessions),
        operation!(list_tokens::list_tokens),
        operation!(create_token::create_token),
        operation!(delete_token::delete_token),
        operation!(list_tokens_of_user::list_user_tokens),
        operation!(delete_token_of_user::delete_user_token),
        operation!(sign_in_ways::get_sign_in_ways),
        operation!(oidc::begin::begin_oidc),
        operation!(oidc::callback::end_oidc_of_organization),
        operation!(oidc::former_callback::end_oidc),
        operation!(get_sign_in::get_sign_in),
        operation!(put_sign_in::put_sign_in),
        operation!(delete_sign_in::delete_sign_in),
        operation!(test_sign_in::test_sign_in),
    ];
    Routes::new("auth", operations)
}
