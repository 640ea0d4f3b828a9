import { settingsOf } from '../../lib/config.ts'
import { areasOfSecret } from '../../operator/access/check.ts'
import { replaceCredentials } from '../../operator/access/replace.ts'
import { createSecretStore } from '../../operator/aws/secrets.aws.ts'
import { findDeployment } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { promptCredentials } from '../credentials/prompt.ts'
import {
  areasToCheck,
  missingSecretFix,
  requireAccepted,
  secretFor,
  storedText,
} from '../credentials/results.ts'
import { defineCommand } from '../shell/command.ts'
import { startFirstSyncs } from '../sync/first-syncs.ts'

export const credentialsCommand = defineCommand({
  name: 'credentials set',
  summary: "Check and store the platform's credentials",
  options: {
    '--area <AREA>': { summary: "Set the area's own secret, and check this area only" },
    '--skip-check': 'Store the credentials without a check',
    '--no-sync': 'Do not start syncs afterwards',
    '-y, --yes': 'Start syncs afterwards without a prompt',
  },
  description: [
    'Prompts for the app key and the app token. Without a terminal, reads standard input: ' +
      '{"appKey":"…","appToken":"…"}, or one per line.',
    'Checks them: reads a dock that does not exist, searches for one document of the first entity, and reads the ' +
      'first endpoint of subscriptions and of areas of `endpoints`, if there is one. If the platform rejects none (401 ' +
      'or 403), they take effect within 10 seconds if they are the first, otherwise within 10 minutes or as soon as it ' +
      'rejects the previous ones.',
    'Then offers a sync of each scheduled entity that has no snapshot, or whose last run failed because of the ' +
      'credentials.',
  ],
  examples: {
    'credentials set': 'Set the credentials interactively',
    'credentials set --yes < credentials.json': 'Set the credentials from a file and start the first syncs',
    'credentials set --area documents': "Set the documents area's own secret",
  },
  async run({ values, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    const secretId = secretFor(deployment, values.area)
    const secrets = createSecretStore()
    if (!(await secrets.exists(secretId))) {
      throw new CommandError(`The secret ${secretId} does not exist.`, { fix: missingSecretFix(target) })
    }
    const { areas: served } = areasOfSecret(deployment.secretIds, secretId)
    const toCheck = areasToCheck(served, { area: values.area, skipCheck: values.skipCheck })
    const credentials = await promptCredentials(terminal)
    const { version, checks } = await replaceCredentials(
      { secrets, secretId, served, toCheck, credentials },
      { settings: settingsOf(deployment.configuration), accept: requireAccepted, signal },
    )
    const syncs = openSyncs(deployment, terminal)
    const { started, text } = values.sync
      ? await startFirstSyncs({ syncs, target, terminal }, values.yes ? 'start' : 'ask')
      : { started: [], text: [] }
    return {
      ok: true,
      text: [...storedText(served, checks), ...text].join('\n'),
      data: { areas: served, version, checks, started },
    }
  },
})
