import { render } from 'preact'
import './styles/tokens.css'
import './styles/base.css'
import { startResources } from './api/resource.ts'
import { startSession } from './api/session.ts'
import { App } from './frame/app.tsx'
import { startShortcuts } from './frame/shortcuts.ts'
import { startTheme } from './frame/theme.ts'
import { startAddress } from './lib/address.ts'
import { startNow } from './lib/now.ts'

startTheme()
startAddress()
startNow()
startShortcuts()
startResources()
void startSession(location.pathname === '/sign-in')
const root = document.getElementById('app')
if (root) render(<App />, root)
