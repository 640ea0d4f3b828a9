/** A version of a document as the platform had it, from a time on. The text is null once it is deleted. */
export interface Version {
  readonly since: number
  readonly text: string | null
  /** The date of its last update, or else of its creation. */
  readonly date: number
}

/** How the platform writes the dates of a version. */
export type DateForm =
  | 'usual'
  /** Rounded to seconds, as the ends of windows are. */
  | 'second'
  /** Without an offset, which means UTC. */
  | 'no-offset'
  /** An update that leaves no `updatedIn` behind. */
  | 'absent'
  /** By a clock that is ahead. */
  | 'future'

export const futureMs = 2 * 60 * 60_000

/** A field that the test uses for itself, not a property of the document. */
export const ignoredField = 'seen'

/** A document or record without that field. */
export const contentOf = (text: string): string => text.replaceAll(/,"seen":\d+/g, '')

/** The dates of a document in epoch milliseconds. One without an offset is in UTC. */
export function datesIn(document: string): number[] {
  const { createdIn, updatedIn } = JSON.parse(document) as Record<string, string | null | undefined>
  return [createdIn, updatedIn].flatMap((date) =>
    date ? Date.parse(date.endsWith('Z') ? date : `${date}Z`) : [],
  )
}

/** What the platform had of each document at any time. Times are epoch milliseconds. */
export class DocumentHistory {
  readonly #versions = new Map<string, Version[]>()
  #serial = 0

  /** Creates or updates a document. `date` is the platform's own time. */
  write(id: string, since: number, { date = since, form = 'usual' as DateForm } = {}): void {
    const created = this.#createdAt(id)
    const moved = form === 'future' ? date + futureMs : date
    const at = form === 'second' ? Math.ceil(moved / 1000) * 1000 : moved
    const text = (time: number) => {
      const iso = new Date(time).toISOString()
      return JSON.stringify(form === 'no-offset' ? iso.slice(0, -1) : iso)
    }
    const createdIn = text(created ?? at)
    const updatedIn = form === 'absent' ? '' : `,"updatedIn":${created === undefined ? 'null' : text(at)}`
    const known = form === 'absent' && created !== undefined ? created : at
    this.#add(id, {
      since,
      text: `{"id":${id},"value":${++this.#serial},"seen":0,"createdIn":${createdIn}${updatedIn}}`,
      date: known,
    })
  }

  /** Changes a field of a document without moving its dates. */
  changeSilently(id: string, since: number, field: 'value' | 'seen'): void {
    const known = this.current(id)
    if (!known?.text) this.write(id, since)
    else {
      const text = known.text.replace(new RegExp(`"${field}":\\d+`), `"${field}":${++this.#serial}`)
      this.#add(id, { since, text, date: known.date })
    }
  }

  delete(id: string, since: number): void {
    if (this.current(id)?.text) this.#add(id, { since, text: null, date: since })
  }

  /** Of every version so far. */
  values(): readonly string[] {
    return Array.from({ length: this.#serial }, (_, at) => String(at + 1))
  }

  /** When the platform replaced the version with this value; undefined while it has it. */
  endOf(value: string): number | undefined {
    for (const versions of this.#versions.values()) {
      const last = versions.findLastIndex(({ text }) => text?.includes(`"value":${value},`))
      if (last >= 0) return versions[last + 1]?.since
    }
    return undefined
  }

  current(id: string): Version | undefined {
    return this.#versions.get(id)?.at(-1)
  }

  ids(): readonly string[] {
    return [...this.#versions.keys()]
  }

  /** The documents as of a time. */
  at(time: number): string[] {
    return [...this.#versions.values()].flatMap(
      (versions) => versions.findLast(({ since }) => since <= time)?.text ?? [],
    )
  }

  /** The date of the last version with this content. Throws if the document never had it. */
  dateOf(id: string, text: string): number {
    const version = this.#versions
      .get(id)
      ?.findLast((one) => one.text !== null && contentOf(one.text) === contentOf(text))
    if (!version) throw new Error(`Document ${id} never was ${text}.`)
    return version.date
  }

  #createdAt(id: string): number | undefined {
    const [, date] = /"createdIn":"([^"]+)"/.exec(this.current(id)?.text ?? '') ?? []
    return date === undefined ? undefined : Date.parse(date.endsWith('Z') ? date : `${date}Z`)
  }

  #add(id: string, version: Version): void {
    this.#versions.set(id, [...(this.#versions.get(id) ?? []), version])
  }
}
