export { InvitationPage } from './invitation-page.tsx';
export { SetupPage } from './setup-page.tsx';
export { SignInForm } from './sign-in-form.tsx';
export { SignInPage } from './sign-in-page.tsx';
