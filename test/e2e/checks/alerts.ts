import assert from 'node:assert/strict'
import type { Check } from '../check.ts'
import { forgetAlerts, look } from '../look.ts'

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
]
