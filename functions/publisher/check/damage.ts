/** What is stored is not what was committed or recorded. The message names the object and both numbers. */
export class Damaged extends Error {
  override readonly name = 'Damaged'
}

/** What a check returns. The message of its damage becomes part of a longer one. */
export function inContext<T>(longer: (problem: string) => string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw error instanceof Damaged ? new Damaged(longer(error.message)) : error
  }
}
