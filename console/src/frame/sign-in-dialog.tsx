import { hasEnded, session, signOut } from '../api/session.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** Over the page when its session has ended: nothing that was typed there is lost. */
export function SignInDialog() {
  if (!hasEnded.value || !session.value) return null
  return (
    <Dialog title="Sign in again" text="Your session ended. What you see stays as it is; sign in and go on.">
      <SignInForm />
      <p class="actions actions-end">
        <Button tone="quiet" size="small" onPress={signOut}>
          Leave this page instead
        </Button>
      </p>
    </Dialog>
  )
}
