import type * as v from 'valibot'
import { describeValue } from '../../functions/runtime/settings-schema/schema-parts.ts'

/** The configuration cannot be used. The message lists each error on its own line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly errors: readonly string[]

  constructor(source: string, errors: readonly string[]) {
    const count = errors.length === 1 ? 'an error' : `${errors.length} errors`
    super([`${source} has ${count}:`, ...errors.map((error) => `  ${error}`)].join('\n'))
    this.errors = errors
  }
}

/** `entities[1].schedule: what is wrong and what would be correct`, for each issue of a schema. */
export function describeIssues(issues: readonly v.BaseIssue<unknown>[]): string[] {
  return issues.map((issue) => {
    const keys = issue.path?.map((item) => item.key as string | number) ?? []
    return `${formatPath(keys)}: ${issue.message}`
  })
}

function formatPath(keys: readonly (string | number)[]): string {
  const path = keys
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`
      return /^[\w$-]+$/.test(key) ? `.${key}` : `[${describeValue(key)}]`
    })
    .join('')
  return path.replace(/^\./, '') || 'the configuration'
}
