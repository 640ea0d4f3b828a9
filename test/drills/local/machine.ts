import { join } from 'node:path'
import { expect } from 'vitest'
import { npmStart } from '../../npm-start.ts'
import { drill } from '../drill.ts'
import { situation } from '../pages.ts'
import { expectHealthy, type LocalDrill, succeeds } from './world.ts'

const entities = [{ name: 'CL', schedule: 'rate(1 day)' as const }]

/** `npm start`, and the command line that looks for it. */
export const machineDrills: LocalDrill[] = [
  drill('symptoms', 'npm start reports errors in longshore.config.ts', async () => {
    const wrong = { entities: [{ name: 'CL', schedule: 'every day', pageSise: 50 }] }
    const printed = await npmStart(wrong as object).then(
      () => '',
      (error: unknown) => String(error),
    )
    expect(printed).toContain('entities[0].schedule')
    // It names a correct value and the key that was meant.
    expect(printed).toMatch(/rate\(/)
    expect(printed).toContain('pageSize')
    return async () => {
      const started = await npmStart({
        entities: [{ name: 'CL', schedule: 'rate(1 day)', pageSize: 1000 }],
      })
      await started.stop()
      expect(started.printed()).toContain('Serving until Ctrl-C')
    }
  }),
  drill(
    'symptoms',
    'longshore --local reports that npm start is not running',
    async ({ folder, longshore, bundle }) => {
      process.env['LONGSHORE_LOCAL'] = join(folder, 'none.json')
      const { code, stderr } = await longshore('--local status')
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('npm start') as string })
      return async (operator) => {
        const { text } = situation('symptoms', 'longshore --local reports that npm start is not running')
        const [, variable = ''] = /sets `(\w+)` to the file/.exec(text) ?? []
        process.env[variable] = bundle.instanceFile
        await succeeds(operator.longshore('--local status'))
        await expectHealthy(operator)
      }
    },
  ),
  drill('symptoms', 'npm start -- --upstream … fails', async ({ platform }) => {
    const printed = await npmStart({ entities }, 'http://127.0.0.1:9').then(
      () => '',
      (error: unknown) => String(error),
    )
    // The reason is one of those that the runbook lists.
    expect(printed).toContain('connection refused')
    expect(situation('runbook', 'Platform errors').text).toContain('connection refused')
    return async () => {
      const started = await npmStart({ entities }, platform.url)
      await started.stop()
      expect(started.printed()).toContain('Serving until Ctrl-C')
    }
  }),
]
