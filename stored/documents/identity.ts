/** What identifies a document: the canonical JSON of its id, or its bytes if it has no id. Both are UTF-8. */
export type Identity = string | Uint8Array
