import type { Bundle } from './synthesize.ts'

// biome-ignore lint/suspicious/noExplicitAny: a template has no types
type Template = { readonly Resources: Readonly<Record<string, any>> }

/** What `cdk import` sends for the storage stack after `cdk destroy`: the resources that were retained, and no more. */
export function importTemplate(bundle: Bundle): Template {
  const storage = Object.keys(bundle.templates).find((stack) => stack.endsWith('Storage')) ?? ''
  const { Resources } = JSON.parse(bundle.templates[storage] ?? '{}') as Template
  const isRetained = (id: string) => String(Resources[id].DeletionPolicy).startsWith('Retain')
  return { Resources: Object.fromEntries(Object.entries(Resources).filter(([id]) => isRetained(id))) }
}

/** The logical ids that a template refers to: in DependsOn, Ref, Fn::GetAtt and Fn::Sub. Pseudo parameters do not count. */
export function references(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(references)
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) => {
    if (key === 'DependsOn' || key === 'Ref') return [value].flat().filter((id) => !id.startsWith('AWS::'))
    if (key === 'Fn::GetAtt') return [[value].flat()[0].split('.')[0]]
    if (key === 'Fn::Sub')
      return [...JSON.stringify(value).matchAll(/\$\{(\w+)[.}]/g)].map(([, id = '']) => id)
    return references(value)
  })
}
