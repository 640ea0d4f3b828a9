/**
 * What the comparison remembers of a document, in 32-bit words: its id hash (4), the first 128 bits of its content hash
 * (4), the position of its page and of its line. With fewer bits, someone who can write documents could make two with
 * the same content hash, and a change from one to the other would go unnoticed.
 */
export const entryWords = 10
export const contentWord = 4
export const contentWords = 4
export const pageWord = 8
export const lineWord = 9

/** For a document that is the same in both snapshots, the page and line of the base replace the content hash. */
export const basePageWord = 4
export const baseLineWord = 5
