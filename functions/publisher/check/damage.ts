/** What is stored is not what was committed or recorded. The message names the object and both numbers. */
export class Damaged extends Error {
  override readonly name = 'Damaged'
}
