/** The value that both keys have in the secret that the stack creates, until the owner sets real ones. */
export const placeholder = 'replace-me'
