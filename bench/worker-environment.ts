import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environment, settingsFileName } from '../functions/runtime/environment.ts'
import { type ConfigurationInput, resolveConfig, settingsOf } from '../lib/config.ts'
import { bucket, entity, publisher, secret, table } from './names.ts'

interface Measured {
  /** Of the one entity. */
  readonly ranges?: number | undefined
  readonly entities?: ConfigurationInput['entities']
  readonly more?: Partial<ConfigurationInput>
}

const measuredEntity = (ranges: number | undefined) => ({
  name: entity,
  schedule: 'rate(1 day)',
  ...(ranges && { partitions: { by: 'createdIn' as const, count: ranges } }),
})

/** The settings file and the environment variables of a deployed function. */
export function functionEnvironment(
  baseUrl: string,
  aws: Readonly<Record<string, string>>,
  { ranges, entities = [measuredEntity(ranges)], more }: Measured = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-bench-'))
  const configuration = resolveConfig({
    upstream: { baseUrl },
    entities,
    // The documents without a date are one more range.
    maxConcurrentScrolls: Math.min(10, (ranges ?? 1) + 1),
    stepSeconds: 840,
    ...more,
  })
  writeFileSync(join(folder, settingsFileName), JSON.stringify(settingsOf(configuration)))
  return {
    variables: {
      ...aws,
      LAMBDA_TASK_ROOT: folder,
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      [environment.table]: table,
      [environment.bucket]: bucket,
      [environment.stateMachine]: 'arn:aws:states:us-east-1:000000000000:stateMachine:bench',
      [environment.publisher]: publisher,
      ...Object.fromEntries(Object.values(environment.credentials).map((variable) => [variable, secret])),
    } as Record<string, string>,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}
