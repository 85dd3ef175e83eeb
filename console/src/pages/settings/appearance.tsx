import { singleKeys } from '../../frame/shortcuts.ts'
import { type Density, density, type Theme, theme } from '../../frame/theme.ts'
import { CheckField } from '../../kit/check-field.tsx'
import { Panel } from '../../kit/panel.tsx'
import { Segment } from '../../kit/segment.tsx'

/** Choices of this browser; they take effect at once. */
export function Appearance() {
  return (
    <Panel title="Appearance" note="Kept in this browser" isPadded>
      <div class="settings-choices">
        <p id="settings-theme">Theme</p>
        <Segment<Theme>
          label="Theme"
          value={theme.value}
          options={[
            { value: 'system', name: 'System' },
            { value: 'light', name: 'Light', icon: 'sun' },
            { value: 'dark', name: 'Dark', icon: 'moon' },
          ]}
          onChange={(value) => {
            theme.value = value
          }}
        />
        <p>Rows</p>
        <Segment<Density>
          label="Rows"
          value={density.value}
          options={[
            { value: 'compact', name: 'Compact' },
            { value: 'normal', name: 'Normal' },
            { value: 'roomy', name: 'Roomy' },
          ]}
          onChange={(value) => {
            density.value = value
          }}
        />
      </div>
      <CheckField
        label="Single-key shortcuts"
        hint="Press ? for the list. Keys with Ctrl or ⌘ always work."
        isSwitch
        value={singleKeys.value === 'on'}
        onChange={(isOn) => {
          singleKeys.value = isOn ? 'on' : 'off'
        }}
      />
    </Panel>
  )
}
