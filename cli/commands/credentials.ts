import { type Area, areas } from '../../functions/platform/areas.ts'
import { settingsOf } from '../../lib/config.ts'
import { createSecretStore, type SecretStore } from '../aws/secrets.aws.ts'
import { type Deployment, deployCommand, findDeployment } from '../deployment.ts'
import { areasOfSecret, type CredentialCheck, checkCredentials } from '../doctor/credential-check.ts'
import { defineCommand } from '../shell/command.ts'
import { CommandError, Interrupted, UsageError } from '../shell/errors.ts'
import { promptCredentials } from '../shell/prompt-credentials.ts'

export const credentialsCommand = defineCommand({
  name: 'credentials set',
  summary: "Set the platform's keys, after they have been tried",
  takesEntity: false,
  options: {
    area: {
      type: 'string',
      value: 'AREA',
      choices: areas,
      summary: 'the secret of this area, tried with a call of this area only',
    },
    untried: {
      type: 'boolean',
      summary: 'set them without a trial, where the platform cannot be reached from here',
    },
  },
  notes: [
    'Asks for the key and the token without showing them. Without a terminal it reads standard input: ' +
      '{"appKey":"…","appToken":"…"}, or the key and the token on a line each.',
    'The new pair is written as a version of the secret that no function reads, and the platform is asked for a dock ' +
      'that does not exist and for one document of the first entity, which changes nothing there. Only if it ' +
      'rejects neither (401, 403) the new version becomes the current one, in one step; otherwise the old pair stays. ' +
      'The functions take it up within 10 minutes, or at the first call that the platform rejects.',
    'Subscriptions cannot be tried, since every call of theirs changes something.',
  ],
  async run({ values, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    const secretId = secretFor(deployment, values.area)
    const secrets = createSecretStore()
    if (!(await secrets.exists(secretId))) {
      throw new CommandError(`There is no secret ${secretId}.`, {
        fix: `create it, or take it out of the configuration and run ${deployCommand(target)}`,
      })
    }
    const served = areasOfSecret(deployment.secretIds, secretId)
    const tried = values.untried ? [] : values.area ? [values.area] : served
    const keys = await promptCredentials(terminal)
    const version = await secrets.stage(secretId, keys)
    const trials = await keepOldUnless(secrets, { secretId, version }, async () => {
      const source = secrets.credentials(pick(served, secretId), version)
      const found = await checkCredentials(settingsOf(deployment.configuration), tried, source)
      if (signal.aborted) throw new Interrupted('Interrupted. The keys before stay.')
      refuseUnlessAccepted(found)
      await secrets.promote(secretId, version)
      return found
    })
    return { ok: true, text: setText(served, trials), data: { areas: served, version, trials } }
  },
})

const pick = (served: readonly Area[], secretId: string): Partial<Record<Area, string>> =>
  Object.fromEntries(served.map((area) => [area, secretId]))

/** One secret for all needs no area; where there are several, one must say which. */
export function secretFor({ secretIds }: Pick<Deployment, 'secretIds'>, area: Area | undefined): string {
  if (area) return secretIds[area]
  const [only, ...others] = new Set(Object.values(secretIds))
  if (only !== undefined && others.length === 0) return only
  throw new UsageError(`The areas have secrets of their own. Say which: --area ${areas.join(' | ')}.`)
}

async function keepOldUnless<T>(
  secrets: SecretStore,
  { secretId, version }: { secretId: string; version: string },
  succeeds: () => Promise<T>,
): Promise<T> {
  try {
    return await succeeds()
  } catch (error) {
    // Nobody reads this version; that it could not be dropped must not hide why.
    await secrets.drop(secretId, version).catch(() => {})
    throw error
  }
}

/** Throws `CommandError` if the platform rejected the keys for an area, or nobody can tell. */
export function refuseUnlessAccepted(trials: readonly CredentialCheck[]): void {
  const tell = (outcome: CredentialCheck['outcome']) =>
    trials.filter((trial) => trial.outcome === outcome).map(({ area, detail }) => `${area}: ${detail}`)
  const rejected = tell('rejected')
  const accepted = trials.filter(({ outcome }) => outcome === 'accepted')
  if (rejected.length > 0) {
    const [other] = accepted
    throw new CommandError(
      `The platform rejects these keys (${rejected.join('; ')}). The ones before stay.`,
      {
        fix: other
          ? `if they are not meant for that area, try only the one that they are for: --area ${other.area}`
          : 'look the keys up at the platform and set them again',
      },
    )
  }
  const unclear = tell('unclear')
  if (unclear.length > 0) {
    throw new CommandError(
      `Nobody can tell whether the keys are right (${unclear.join('; ')}). The ones before stay.`,
      {
        fix: 'try again later, or set them with --untried',
      },
    )
  }
}

function setText(served: readonly Area[], trials: readonly CredentialCheck[]): string {
  const accepted = trials.filter(({ outcome }) => outcome === 'accepted')
  const untried = trials.filter(({ outcome }) => outcome === 'untried')
  return [
    `Set the keys for ${served.join(', ')}.`,
    ...accepted.map(({ area, detail }) => `Accepted for ${area}: ${detail}.`),
    ...untried.map(({ area, detail }) => `Not tried for ${area}: ${detail}.`),
  ].join('\n')
}
