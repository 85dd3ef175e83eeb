import { demoStates, demoStepStates, demoSteps } from '../domain/demo/types.ts'
import { closed, list, oneOf, Type, text, uuid } from './schema.ts'

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const step = closed({
  name: oneOf(demoSteps, 'What is made.'),
  state: oneOf(demoStepStates, 'How it goes.'),
  done: count('How many are made.'),
  total: count('Of how many; 0 = not known yet.'),
  unit: text('What is counted.'),
})

export const Demo = closed({
  state: oneOf(demoStates, 'Whether the demo is there. Failed: start it again, or remove it.'),
  step: nullable(oneOf(demoSteps, 'A step.'), 'The step that runs, or that failed; null = none.'),
  steps: list(step, 'In their order.'),
  serviceId: nullable(
    uuid('A service.'),
    'Its service, as soon as there is one to be; null = there is no demo.',
  ),
  dashboardId: nullable(text('24 hex digits.'), 'Its dashboard.'),
  pipeId: nullable(uuid('A pipe.'), 'The pipe that loads its requests.'),
  error: nullable(text('A sentence.'), 'Why the step, or the removal, does not get on.'),
  kept: list(
    closed({
      kind: oneOf(['service', 'dashboard', 'alert', 'source'], 'What it is.'),
      id: text('Its id.'),
      name: text('Its name.'),
      reason: text('Why.'),
    }),
    'What the last removal left, because somebody changed it or put something into it.',
  ),
})
