import { isObject } from '../../functions/runtime/json-object.ts'

/** What `$$` refers to in a definition. */
export interface ContextObject {
  readonly Execution: {
    readonly Id: string
    readonly Name: string
    /** ISO 8601. */
    readonly StartTime: string
    readonly Input: unknown
  }
  /** Of a task that waits for a callback. */
  readonly Task?: { readonly Token: string }
  readonly Map?: { readonly Item: { readonly Value: unknown } }
}

/** Where a path is resolved: the state's input and the context object. */
export interface StateScope {
  readonly data: unknown
  readonly context: ContextObject
}

/** The value at a reference path such as `$.error.Cause` or `$$.Execution.Id`; undefined if there is none. */
export function valueAt(path: string, { data, context }: StateScope): unknown {
  const [root, ...names] = path.split('.')
  let value: unknown = root === '$$' ? context : data
  for (const name of names) value = isObject(value) ? value[name] : undefined
  return value
}

/** By its `ResultPath`: the result, or a copy of `data` with the result at `$.name`, or `data` itself for `null`. */
export function withResult(data: unknown, path: string | null | undefined, result: unknown): unknown {
  if (path === null) return data
  if (path === undefined) return result
  return { ...(isObject(data) ? data : {}), [path.slice('$.'.length)]: result }
}

/** Ends an execution: a comparison or a cause refers to a value that does not exist. */
export class RuntimeFailure extends Error {
  override readonly name = 'States.Runtime'
}

/** A payload template refers to a value that does not exist. */
class PathFailure extends Error {
  override readonly name = 'States.ParameterPathFailure'
}

/** A payload template: each field `name.$` becomes `name` with the value at its path. */
export function filled(template: unknown, scope: StateScope): unknown {
  if (!isObject(template)) return template
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => {
      if (!name.endsWith('.$')) return [name, filled(value, scope)]
      const found = valueAt(String(value), scope)
      if (found === undefined) throw new PathFailure(`${name}: there is no value at ${String(value)}`)
      return [name.slice(0, -'.$'.length), found]
    }),
  )
}
