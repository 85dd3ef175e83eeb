import { CheckField } from '../../kit/check-field.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { SecretArea, SecretField, TextArea, TextField } from '../../kit/text-field.tsx'
import { raised } from '../../lib/words.ts'
import { type FieldGroup, type FieldSpec, isShown, optionsFor } from './fields.ts'
import type { Wizard } from './wizard-state.ts'

/** The fields of a step under their titles. A group none of whose fields is shown is left out. */
export function FieldGroups({ wizard, groups }: { wizard: Wizard; groups: readonly FieldGroup[] }) {
  const get = wizard.get.value
  return (
    <>
      {groups.map(({ title, hint, fields }) => {
        const shown = fields.filter((field) => isShown(field, get))
        return (
          shown.length > 0 && (
            <fieldset key={title} class="wizard-group">
              <legend>{title}</legend>
              {hint && <p class="field-hint">{hint}</p>}
              <div class="wizard-fields">
                {shown.map((field) => (
                  <SpecField key={field.path} wizard={wizard} field={field} />
                ))}
              </div>
            </fieldset>
          )
        )
      })}
    </>
  )
}

export function SpecField({ wizard, field }: { wizard: Wizard; field: FieldSpec }) {
  return (
    <div class={field.isWide ? 'wizard-wide' : undefined}>
      <Control wizard={wizard} field={field} />
    </div>
  )
}

function Control({ wizard, field }: { wizard: Wizard; field: FieldSpec }) {
  const { path, label, hint, placeholder, unit } = field
  const value = wizard.get.value(path)
  const said = wizard.errors.value[path]
  const shared = {
    ...{ label, name: path, error: said === undefined ? undefined : raised(said) },
    ...(hint === undefined ? {} : { hint }),
    ...(field.isOptional ? { isOptional: true } : {}),
    onChange: (next: string | number | boolean | null) => wizard.set(path, next),
  }
  const grey = {
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(unit === undefined ? {} : { unit }),
  }
  const text = String(value ?? '')
  switch (field.control) {
    case 'secret':
      return <SecretField {...shared} value={text} />
    case 'secret-area':
      return <SecretArea {...shared} value={text} />
    case 'area':
      return <TextArea {...shared} value={text} isMono />
    case 'number':
      return <NumberField {...shared} {...grey} value={value as number | null} />
    case 'switch':
      return <CheckField {...shared} value={value === true} isSwitch />
    case 'choice':
      return <SelectField {...shared} value={text} options={optionsFor(field, wizard.get.value)} />
    case 'time':
      return <TextField {...shared} {...grey} type="datetime-local" value={text} />
    case 'text':
      return <TextField {...shared} {...grey} value={text} />
  }
}
