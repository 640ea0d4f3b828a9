import { type Area, areas } from '../../functions/platform/areas.ts'
import { settingsOf } from '../../lib/config.ts'
import { createSecretStore, type SecretStore } from '../aws/secrets.aws.ts'
import { type Deployment, deployCommand, findDeployment } from '../deployment.ts'
import { areasOfSecret, type CredentialCheck, checkCredentials } from '../doctor/credential-check.ts'
import { defineCommand } from '../shell/command.ts'
import { CommandError, Interrupted, UsageError } from '../shell/errors.ts'
import { promptCredentials } from '../shell/prompt-credentials.ts'
import { startFirstSyncs } from '../sync/first-syncs.ts'

export const credentialsCommand = defineCommand({
  name: 'credentials set',
  summary: "Check and store the platform's credentials",
  entity: 'none',
  flags: {
    area: {
      type: 'string',
      value: 'AREA',
      choices: areas,
      summary: "Set the area's own secret, and check this area only",
    },
    'skip-check': {
      type: 'boolean',
      summary: 'Store the credentials without a check, if this machine cannot reach the platform',
    },
    'no-sync': { type: 'boolean', summary: 'Do not start syncs afterwards' },
    yes: { type: 'boolean', short: 'y', summary: 'Start syncs afterwards without a prompt' },
  },
  description: [
    'Prompts for the app key and the app token without echo. Without a terminal, reads standard input: ' +
      '{"appKey":"…","appToken":"…"}, or the app key on the first line and the app token on the second.',
    'The credentials are stored as a version of the secret that no function reads, and checked with two calls that ' +
      'change nothing: a dock that does not exist, and one document of the first entity. If the platform rejects ' +
      'neither (401, 403), the version becomes current in one step; otherwise the previous credentials stay. ' +
      'The first credentials take effect within 10 seconds. Later ones take effect within 10 minutes, or as soon as ' +
      'the platform rejects the previous ones.',
    'Afterwards Longshore offers to start a sync of every scheduled entity that has no snapshot yet. Without a terminal ' +
      'it starts them only with --yes.',
    'The subscriptions area cannot be checked, because each of its calls changes data.',
  ],
  examples: [
    { purpose: 'Set the credentials interactively', command: 'credentials set' },
    {
      purpose: 'Set the credentials from a file and start the first syncs',
      command: 'credentials set --yes < credentials.json',
    },
    { purpose: "Set the documents area's own secret", command: 'credentials set --area documents' },
  ],
  async run({ values, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    const secretId = secretFor(deployment, values.area)
    const secrets = createSecretStore()
    if (!(await secrets.exists(secretId))) {
      throw new CommandError(`The secret ${secretId} does not exist.`, {
        fix:
          target.kind === 'local'
            ? 'start npm start again'
            : `create it, or remove it from the configuration and run ${deployCommand(target)}`,
      })
    }
    const served = areasOfSecret(deployment.secretIds, secretId)
    const areasToCheck = values['skip-check'] ? [] : values.area ? [values.area] : served
    const credentials = await promptCredentials(terminal)
    const version = await secrets.stage(secretId, credentials)
    const checks = await dropOnFailure(secrets, { secretId, version }, async () => {
      const source = secrets.credentials(Object.fromEntries(served.map((area) => [area, secretId])), version)
      const results = await checkCredentials(settingsOf(deployment.configuration), areasToCheck, source)
      if (signal.aborted) throw new Interrupted('Interrupted. The previous credentials stay.')
      requireAccepted(results)
      await secrets.promote(secretId, version)
      return results
    })
    const { started, text } = values['no-sync']
      ? { started: [], text: [] }
      : await startFirstSyncs({ deployment, target, terminal }, values.yes ? 'start' : 'ask')
    return {
      ok: true,
      text: [...resultLines(served, checks), ...text].join('\n'),
      data: { areas: served, version, checks, started },
    }
  },
})

/** Without `--area`, all areas must share one secret. */
export function secretFor({ secretIds }: Pick<Deployment, 'secretIds'>, area: Area | undefined): string {
  if (area) return secretIds[area]
  const [only, ...others] = new Set(Object.values(secretIds))
  if (only !== undefined && others.length === 0) return only
  throw new UsageError(`The areas have their own secrets. Select one: --area ${areas.join(' | ')}.`)
}

async function dropOnFailure<T>(
  secrets: SecretStore,
  { secretId, version }: { secretId: string; version: string },
  promote: () => Promise<T>,
): Promise<T> {
  try {
    return await promote()
  } catch (error) {
    // No function reads this version, so a failure to drop it must not hide the first error.
    await secrets.drop(secretId, version).catch(() => {})
    throw error
  }
}

/** Throws `CommandError` if the platform rejected the credentials for an area, or a check was inconclusive. */
export function requireAccepted(checks: readonly CredentialCheck[]): void {
  const withOutcome = (outcome: CredentialCheck['outcome']) =>
    checks.filter((check) => check.outcome === outcome)
  const list = (some: readonly CredentialCheck[]) =>
    some.map(({ area, detail }) => `${area}: ${detail}`).join('; ')
  const rejected = withOutcome('rejected')
  if (rejected.length > 0) {
    const [accepted] = withOutcome('accepted')
    throw new CommandError(
      `The platform rejects these credentials (${list(rejected)}). The previous credentials stay.`,
      {
        fix: accepted
          ? `if they are not meant for that area, check only the area that they are for: --area ${accepted.area}`
          : 'check the credentials in the platform and set them again',
      },
    )
  }
  const inconclusive = withOutcome('inconclusive')
  if (inconclusive.length > 0) {
    throw new CommandError(
      `Cannot tell whether the credentials are valid (${list(inconclusive)}). The previous credentials stay.`,
      { fix: 'try again later, or store them with --skip-check' },
    )
  }
}

function resultLines(served: readonly Area[], checks: readonly CredentialCheck[]): string[] {
  const labels = { accepted: 'Accepted', 'not-checked': 'Not checked' } as const
  const lines = checks.flatMap(({ area, outcome, detail }) =>
    outcome in labels ? [`${labels[outcome as keyof typeof labels]}: ${area} (${detail}).`] : [],
  )
  return [`Stored the credentials for ${served.join(', ')}.`, ...lines]
}
