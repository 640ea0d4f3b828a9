import assert from 'node:assert/strict'
import type { Check } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { forgetAlerts, look } from '../look.ts'
import { removeObject, writeObject } from '../snapshot-proof.ts'

const orphan = 'snapshots/Alerted/20200101T000000000Z-000000000000/page.ndjson.gz'

interface Told {
  readonly event: string
  readonly id: string
  readonly kind: string
  readonly entity?: string
}

/** What the webhook was told of data of an entity that is not configured, which is a note. */
const toldOfOrphan = ({ receivers }: CheckContext): Told[] =>
  receivers.webhook.messages
    .flatMap(({ json }) => json.problems as Told[])
    .filter(({ entity }) => entity === 'Alerted')

export const alertChecks: Check[] = [
  {
    name: 'open problems are reported to Slack and Teams, with a command, and nothing is sent while nothing changes',
    async run(context) {
      const { slack, teams } = context.receivers
      await forgetAlerts(context)
      const before = slack.messages.length
      await look(context)
      const [message, ...others] = slack.messages.slice(before)
      assert.deepEqual(others, [])
      assert.match(message?.json.text, /^Longshore: [1-9]\d* problems?$/)
      assert.match(JSON.stringify(message?.json.blocks), /`npx --no-install longshore \w/)
      const [card] = teams.messages.at(-1)?.json.attachments ?? []
      assert.equal(card.contentType, 'application/vnd.microsoft.card.adaptive')
      assert.equal(card.content.body[0].inlines[0].text, message?.json.text)
      const sent = slack.messages.length
      await look(context)
      assert.equal(slack.messages.length, sent)
    },
  },
  {
    name: 'a webhook is told what opened and what is over, with the ids of the events, and notes if it wants them',
    async run(context) {
      const { slack } = context.receivers
      const ofSlack = slack.messages.length
      await writeObject(context, orphan, Buffer.from('orphaned'))
      await look(context)
      await removeObject(context, orphan)
      await look(context)
      const told = toldOfOrphan(context)
      assert.deepEqual(
        told.map(({ event }) => event),
        ['opened', 'resolved'],
      )
      const events = (await context.events()).filter(({ detail }) => detail['entity'] === 'Alerted')
      assert.deepEqual(
        events.map(({ 'detail-type': type, detail }) => [type, detail['id']]),
        [
          ['Problem Opened', told[0]?.id],
          ['Problem Resolved', told[1]?.id],
        ],
      )
      const later = JSON.stringify(slack.messages.slice(ofSlack).map(({ json }) => json))
      assert.doesNotMatch(later, /Alerted/)
    },
  },
]
