const maxResponses = 50

const responses = new Map<string, unknown>()

/** The last responses by path, for pages that are opened again while the server cannot be reached. */
export const knownResponses = {
  get: <T>(path: string) => responses.get(path) as T | undefined,

  set(path: string, data: unknown): void {
    responses.delete(path)
    responses.set(path, data)
    const [oldest] = responses.keys()
    if (responses.size > maxResponses && oldest !== undefined) responses.delete(oldest)
  },
}
