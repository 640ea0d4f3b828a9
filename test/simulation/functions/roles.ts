import type { FunctionKind } from './invocation.ts'

interface Put {
  readonly Key?: string
  readonly IfNoneMatch?: string
}
interface Delete {
  readonly Delete?: { readonly Objects?: readonly { readonly Key?: string }[] }
}

/** What the role of a function does not allow that it asks S3 for; undefined if it allows it. */
export function forbidden(by: FunctionKind, command: { readonly input: object }): string | undefined {
  // What operators do on their machine is not limited here.
  if (by === 'operator') return undefined
  const what = command.constructor.name.replace('Command', '')
  if (what === 'PutObject') {
    const { Key = '', IfNoneMatch } = command.input as Put
    return mayPut(by, Key, IfNoneMatch === '*') ? undefined : `puts ${Key}`
  }
  if (what !== 'DeleteObjects' || by === 'publisher') return undefined
  const { Objects = [] } = (command.input as Delete).Delete ?? {}
  const pointer = Objects.find(({ Key = '' }) => /^(snapshots|changes)\/[^/]+\/latest\.json$/.test(Key))
  return pointer && `deletes ${pointer.Key}`
}

/** As the table of docs/architecture.md says. */
function mayPut(by: FunctionKind, key: string, isNew: boolean): boolean {
  const [folder = ''] = key.split('/')
  if (folder === 'iceberg' || /\/schema[^/]*\.json$/.test(key)) return by === 'tables'
  if (folder === 'snapshots' && key.endsWith('.ndjson.gz')) return by === 'worker' && isNew
  if (folder === 'changes' && /\.ndjson\.gz$|\/proposal-[^/]*$/.test(key))
    return (by === 'worker' || by === 'compare') && isNew
  if (folder === 'changes' && /\/(refused|unpublished)\.json$/.test(key)) return by === 'compare'
  return by === 'publisher'
}
