import { useEffect } from 'preact/hooks'
import { session } from '../../api/session.ts'
import { AwayBar } from '../../frame/away-bar.tsx'
import { ThemeButton } from '../../frame/navigation.tsx'
import { SignInForm } from '../../frame/sign-in-form.tsx'
import { Mark, MarkLevel } from '../../kit/mark.tsx'
import { navigate, search } from '../../lib/address.ts'
import './sign-in-page.css'

/** Nothing of the organization is shown before somebody is signed in. */
export function SignInPage() {
  const isIn = Boolean(session.value)
  useEffect(() => {
    document.title = 'Sign in · Granary'
    document.querySelector<HTMLElement>('input')?.focus()
  }, [])
  useEffect(() => {
    if (isIn) void navigate(ownPath(new URLSearchParams(search.peek()).get('next')), { replace: true })
  }, [isIn])
  return (
    <main class="sign-in" id="main">
      <div class="sign-in-side">
        <p class="sign-in-brand">
          <Mark large /> Granary
        </p>
        <div class="sign-in-form">
          <AwayBar />
          <div>
            <h1>Sign in</h1>
            <p class="sub">
              at <span class="mono">{location.host}</span>
            </p>
          </div>
          <SignInForm />
          <p class="field-hint">
            The first start of the server printed a key and kept it in <code>credentials.json</code> of its
            data folder. It is exchanged for a session cookie and not kept in this browser.
          </p>
        </div>
        <p class="sign-in-foot">
          <a href="/docs">API reference</a>
          <span class="grow" />
          <ThemeButton />
        </p>
      </div>
      <div class="sign-in-art">
        <MarkLevel />
      </div>
    </main>
  )
}

/** Only a path of this console: another origin cannot be the target. */
function ownPath(next: string | null): string {
  if (next === null || !next.startsWith('/')) return '/'
  const url = new URL(next, location.origin)
  return url.origin === location.origin && url.pathname !== '/sign-in' ? `${url.pathname}${url.search}` : '/'
}
