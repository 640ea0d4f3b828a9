import { resourceType } from './resource-types.ts'

export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>
  readonly Outputs?: Readonly<Record<string, TemplateOutput>>
}

export interface TemplateResource {
  readonly Type: string
  readonly Properties?: Readonly<Record<string, unknown>>
  readonly DeletionPolicy?: string
}

interface TemplateOutput {
  readonly Value: unknown
  readonly Export?: { readonly Name: string }
}

/** A stack's name and its template. */
export type DeployedStack = readonly [stack: string, template: Template]

interface DeployedResource {
  readonly type: string
  readonly physicalId: string
  /** The values of the properties that can only be set at creation. */
  readonly createOnly: string
  /** Undefined if CloudFormation or the service chose the name. */
  readonly name: string | undefined
  readonly isRetained: boolean
}

interface Stack {
  readonly resources: ReadonlyMap<string, DeployedResource>
  /** Values by the name of the export. */
  readonly exports: ReadonlyMap<string, string>
  readonly imports: ReadonlySet<string>
}

/**
 * What CloudFormation accepts, played in memory: exports that another stack imports, names that exist, and resources
 * that it replaces. It knows nothing about what the resources do.
 */
export class Account {
  readonly #stacks = new Map<string, Stack>()
  /** Names of resources that were retained when CloudFormation removed them from their stack. */
  readonly #retained = new Set<string>()
  #created = 0

  /** Deploys the stacks one after the other, up to the first that CloudFormation refuses. Returns why. */
  deploy(stacks: readonly DeployedStack[]): readonly string[] {
    for (const [stack, template] of stacks) {
      const refusals = this.#update(stack, template)
      if (refusals.length > 0) return refusals.map((refusal) => `${stack}: ${refusal}`)
    }
    return []
  }

  /** What a person does: deletes a retained resource. */
  delete(type: string): void {
    const found = [...this.#retained].filter((name) => name.startsWith(`${type} `))
    if (found.length === 0) throw new Error(`No ${type} was retained.`)
    for (const name of found) this.#retained.delete(name)
  }

  #update(stack: string, template: Template): readonly string[] {
    const before = this.#stacks.get(stack)
    const update = new Update({
      stack,
      template,
      before,
      create: () => ++this.#created,
      imported: this.#exported(),
    })
    const after = update.run()
    const others = [...this.#stacks].filter(([name]) => name !== stack)
    const refusals = [
      ...update.refusals,
      ...nameRefusals(after, { before, taken: this.#taken() }),
      ...exportRefusals(after, { before, others }),
    ]
    if (refusals.length > 0) return refusals
    for (const { name, isRetained } of removedFrom(before, after))
      if (name && isRetained) this.#retained.add(name)
    this.#stacks.set(stack, after)
    return []
  }

  #exported(): ReadonlyMap<string, string> {
    return new Map([...this.#stacks.values()].flatMap(({ exports }) => [...exports]))
  }

  /** Every name that exists. */
  #taken(): ReadonlySet<string> {
    const names = [...this.#stacks.values()].flatMap(({ resources }) =>
      [...resources.values()].map(({ name }) => name),
    )
    return new Set([...names.filter((name) => name !== undefined), ...this.#retained])
  }
}

interface UpdateOptions {
  readonly stack: string
  readonly template: Template
  readonly before: Stack | undefined
  /** The number of a new physical id. */
  readonly create: () => number
  readonly imported: ReadonlyMap<string, string>
}

/** One update of a stack: the values of the template, and which resources they create or replace. */
class Update {
  readonly refusals: string[] = []
  readonly #options: UpdateOptions
  readonly #resources = new Map<string, DeployedResource>()
  readonly #imports = new Set<string>()

  constructor(options: UpdateOptions) {
    this.#options = options
  }

  run(): Stack {
    const { Resources, Outputs = {} } = this.#options.template
    for (const [id, { Properties = {} }] of Object.entries(Resources)) {
      this.#deployed(id)
      // For what the properties import.
      this.#valueOf(Properties)
    }
    const exports = Object.values(Outputs).flatMap(({ Value, Export }) =>
      Export ? [[Export.Name, this.#valueOf(Value)] as const] : [],
    )
    return { resources: this.#resources, exports: new Map(exports), imports: this.#imports }
  }

  #deployed(id: string): DeployedResource {
    const known = this.#resources.get(id)
    if (known) return known
    const deployed = this.#deploy(id)
    this.#resources.set(id, deployed)
    return deployed
  }

  #deploy(id: string): DeployedResource {
    const { stack, template, before, create } = this.#options
    const { Type: type, Properties = {}, DeletionPolicy } = template.Resources[id] as TemplateResource
    const { createOnly, names = [], isStateful } = resourceType(type)
    const values = (paths: readonly string[]) =>
      paths.map((path) => this.#valueOf(propertyAt(Properties, path)))
    const nameValues = values(names)
    const next = {
      type,
      createOnly: JSON.stringify(values(createOnly)),
      name: nameValues.at(-1) ? [type, ...nameValues].join(' ') : undefined,
      isRetained: DeletionPolicy?.startsWith('Retain') ?? false,
    }
    const current = before?.resources.get(id)
    const isKept = current?.type === type && current.createOnly === next.createOnly
    if (current && !isKept && isStateful)
      this.refusals.push(`${id} (${type}) would be replaced, and its state lost`)
    return { ...next, physicalId: isKept ? current.physicalId : `${stack}-${id}-${create()}` }
  }

  /** The value of a part of the template, as text. */
  #valueOf(value: unknown): string {
    if (value === undefined || value === null) return ''
    if (typeof value === 'string') return value
    if (typeof value !== 'object') return JSON.stringify(value)
    if (Array.isArray(value)) return value.map((item) => this.#valueOf(item)).join(',')
    const [[name, argument] = ['', undefined]] = Object.entries(value)
    if (name === 'Ref') return this.#referenceTo(String(argument))
    if (name === 'Fn::GetAtt')
      return (argument as string[]).with(0, this.#referenceTo((argument as string[])[0] ?? '')).join('.')
    if (name === 'Fn::ImportValue') return this.#import(String(argument))
    if (name === 'Fn::Join') {
      const [separator, parts] = argument as [string, unknown[]]
      return parts.map((part) => this.#valueOf(part)).join(separator)
    }
    return Object.entries(value)
      .map(([key, member]) => `${key}=${this.#valueOf(member)}`)
      .join(';')
  }

  /** Of a resource, else of a parameter. */
  #referenceTo(id: string): string {
    return id in this.#options.template.Resources ? this.#deployed(id).physicalId : id
  }

  #import(name: string): string {
    this.#imports.add(name)
    const value = this.#options.imported.get(name)
    if (value === undefined) this.refusals.push(`No export named ${name} found`)
    return value ?? ''
  }
}

/** `DatabaseInput.Name`: a member of a property. */
const propertyAt = (properties: unknown, path: string): unknown =>
  path.split('.').reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], properties)

/** CloudFormation creates and changes resources before it removes others. */
function nameRefusals(
  after: Stack,
  { before, taken }: { readonly before: Stack | undefined; readonly taken: ReadonlySet<string> },
): string[] {
  const seen = new Set<string>()
  return [...after.resources].flatMap(([id, { name, physicalId }]) => {
    if (name === undefined) return []
    const current = before?.resources.get(id)
    const isOwn = current?.name === name && current.physicalId === physicalId
    const exists = seen.has(name) || (taken.has(name) && !isOwn)
    seen.add(name)
    return exists ? [`${id} cannot be created: ${name} already exists`] : []
  })
}

function exportRefusals(
  after: Stack,
  {
    before,
    others,
  }: { readonly before: Stack | undefined; readonly others: readonly (readonly [string, Stack])[] },
): string[] {
  const changed = [...(before?.exports ?? [])].filter(([name, value]) => after.exports.get(name) !== value)
  const inUse = changed.flatMap(([name]) =>
    others.flatMap(([stack, { imports }]) =>
      imports.has(name)
        ? [
            `Export ${name} cannot be ${after.exports.has(name) ? 'updated' : 'deleted'} as it is in use by ${stack}`,
          ]
        : [],
    ),
  )
  const twice = others.flatMap(([stack, { exports }]) =>
    [...after.exports.keys()]
      .filter((name) => exports.has(name))
      .map((name) => `Export ${name} is already exported by ${stack}`),
  )
  return [...inUse, ...twice]
}

const removedFrom = (before: Stack | undefined, after: Stack): DeployedResource[] =>
  [...(before?.resources ?? [])].flatMap(([id, resource]) =>
    after.resources.get(id)?.physicalId === resource.physicalId ? [] : [resource],
  )
