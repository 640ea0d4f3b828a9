import type { Catalog, CatalogTable } from '../../../stored/glue/catalog.aws.ts'

/** The tables of a Glue database, with the versions of Glue. */
export class MemoryCatalog implements Catalog {
  readonly tables = new Map<string, CatalogTable>()
  /** What the next calls are refused with. */
  refusal: Error | undefined
  /** The calls that are refused. */
  refused: readonly string[] = ['read', 'create', 'update', 'drop']
  calls: string[] = []
  #versions = 0

  async read(name: string) {
    this.#called('read')
    return this.tables.get(name)
  }

  async create(name: string, table: Parameters<Catalog['create']>[1]) {
    this.#called('create')
    if (this.tables.has(name)) return false
    this.tables.set(name, { ...table, version: String(++this.#versions) })
    return true
  }

  async update(name: string, table: Parameters<Catalog['update']>[1], version: string | undefined) {
    this.#called('update')
    if (this.tables.get(name)?.version !== version) return false
    this.tables.set(name, { ...table, version: String(++this.#versions) })
    return true
  }

  async drop(name: string) {
    this.#called('drop')
    this.tables.delete(name)
  }

  #called(call: string): void {
    this.calls.push(call)
    if (this.refusal && this.refused.includes(call)) throw this.refusal
  }
}
