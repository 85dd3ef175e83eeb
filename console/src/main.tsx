import { render } from 'preact'
import './styles/tokens.css'

const root = document.getElementById('app')
if (root) render(<h1>Granary</h1>, root)
