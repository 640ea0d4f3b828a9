/** The text without any of these secrets, nor as JSON and URLs write them. */
export function redact(text: string, secrets: Iterable<string>): string {
  let discreet = text
  for (const secret of secrets) {
    const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]
    for (const form of forms) discreet = discreet.replaceAll(form, '[concealed]')
  }
  return discreet
}
