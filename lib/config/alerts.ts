import * as v from 'valibot'
import { alertTypes } from '../../functions/runtime/settings.ts'
import {
  flag,
  itemsOf,
  oneOf,
  pathTo,
  repetitions,
  strictObject,
} from '../../functions/runtime/settings-schema/schema-parts.ts'
import { secretName } from './secret-name.ts'

/** Each look sends to all of them. */
const maxAlerts = 10

/** Also without its scheme, with which a copied address would pass as a name. */
const webAddress =
  /^\s*(?:[a-z]+:\/\/|hooks\.slack\.com\/|[\w.-]+\.(?:logic\.azure|powerplatform|office)\.com(?::\d+)?\/)/i

const findUrlError = (value: string) =>
  webAddress.test(value)
    ? 'is an address. Whoever has it can send messages, and here it would be readable in the code and the templates; store it in a secret of Secrets Manager, and use the name or ARN of that secret'
    : undefined

const alert = strictObject({
  type: oneOf(...alertTypes),
  url: secretName('the name or ARN of a secret that contains the address', findUrlError),
  /** Whether notes are reported too. */
  notes: v.optional(flag(), false),
})

/** Who is told that a problem has opened, and that it is over. */
export const alertsSchema = v.pipe(
  itemsOf(alert, "a list of alerts, such as [{ type: 'slack', url: 'longshore/slack' }]"),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!Array.isArray(dataset.value)) return
    const items: readonly unknown[] = dataset.value
    const urls = items.map((item) => (Object(item) as { url?: unknown }).url)
    for (const { index, first } of repetitions(urls))
      addIssue({
        message: `is also the secret of alerts[${first}]; use a secret of its own, or remove one of the two`,
        path: pathTo(items, [index, 'url']),
      })
    if (items.length > maxAlerts)
      addIssue({
        message: `has ${items.length} items; problems are reported to at most ${maxAlerts} receivers`,
      })
  }),
)
