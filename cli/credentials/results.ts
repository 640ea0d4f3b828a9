import type { Area } from '../../functions/platform/areas.ts'
import type { CredentialCheck } from '../../operator/access/check.ts'
import { type Deployment, deployCommand, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError, UsageError } from '../../operator/errors.ts'

/** Without `--area`, all areas must share one secret. */
export function secretFor({ secretIds }: Pick<Deployment, 'secretIds'>, area: Area | undefined): string {
  const selected = Object.entries(secretIds).filter(([each]) => area === undefined || each === area)
  const [only, ...others] = new Set(selected.map(([, id]) => id))
  if (only !== undefined && others.length === 0) return only
  const reason = area === undefined ? 'The areas have their own secrets.' : `There is no area ${area}.`
  throw new UsageError(`${reason} Select one: --area ${Object.keys(secretIds).join(' | ')}.`)
}

/** The areas of the secret, or the one that was selected; none with --skip-check. */
export function areasToCheck(
  served: readonly Area[],
  { area, skipCheck }: { readonly area: Area | undefined; readonly skipCheck: boolean },
): readonly Area[] {
  if (skipCheck) return []
  return area ? [area] : served
}

export function missingSecretFix(target: Target): string {
  return target.kind === 'local'
    ? 'restart `npm start`'
    : `create it, or remove it from the configuration and run ${deployCommand(target)}`
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
      `The platform rejects these credentials (${list(rejected)}). The previous credentials stay in use.`,
      {
        fix: accepted
          ? `if these credentials are only for the ${accepted.area} area, check only that area: --area ${accepted.area}`
          : 'check the credentials on the platform and set them again',
      },
    )
  }
  const inconclusive = withOutcome('inconclusive')
  if (inconclusive.length > 0) {
    throw new CommandError(
      `Cannot tell whether the credentials are valid (${list(inconclusive)}). The previous credentials stay in use.`,
      { fix: 'try again later, or store them with --skip-check' },
    )
  }
}

/** What was stored, and what the platform did with it. */
export function storedText(served: readonly Area[], checks: readonly CredentialCheck[]): string[] {
  const labels = { accepted: 'Accepted', 'not-checked': 'Not checked' } as const
  const lines = checks.flatMap(({ area, outcome, detail }) =>
    outcome in labels ? [`${labels[outcome as keyof typeof labels]}: ${area} (${detail}).`] : [],
  )
  return [`Stored the credentials for ${served.join(', ')}.`, ...lines]
}
