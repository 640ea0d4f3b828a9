import { version } from '../../functions/runtime/version.ts'
import type { LiveCheck } from '../../operator/live/live-check.ts'
import { bold, dim, green, red, yellow } from '../../operator/text/colors.ts'
import type { CommandResult } from '../shell/command.ts'

const marks: Readonly<Record<LiveCheck['outcome'], () => string>> = {
  'as-expected': () => green('✓'),
  different: () => red('✗'),
  'not-seen': () => red('?'),
  'not-asked': () => yellow('-'),
  'not-supported': () => yellow('-'),
}

const words: Readonly<Record<LiveCheck['outcome'], string>> = {
  'as-expected': 'as expected',
  different: 'different',
  'not-seen': 'not seen',
  'not-asked': 'not asked',
  'not-supported': 'not supported here',
}

/** The responses of AWS, for an issue. The exit code is 1 if something is different, or else 2 if something was not seen. */
export function liveReport(checks: readonly LiveCheck[], region: string, time: string): CommandResult {
  const counts = Object.entries(words).flatMap(([outcome, text]) => {
    const count = checks.filter((one) => one.outcome === outcome).length
    return count > 0 ? [`${count} ${text}`] : []
  })
  const ok = checks.every(({ outcome }) => outcome !== 'different')
  return {
    ok,
    isIncomplete: checks.some(({ outcome }) => outcome === 'not-seen'),
    text: [
      `longshore ${version} doctor --live, ${region}, ${time}`,
      ...checks.map(checkText),
      bold(`${counts.join(', ')}.`),
      ...(ok ? [] : ['Please report this in an issue, with everything above.']),
    ].join('\n\n'),
    data: { ok, version, region, time, checks },
    form: 'unwrapped',
  }
}

function checkText({ name, asked, expected, outcome, response }: LiveCheck): string {
  const shown =
    outcome === 'as-expected' || outcome === 'different' ? response : `${words[outcome]}: ${response}`
  return [
    `${marks[outcome]()} ${name}`,
    dim(`  asked     ${asked}`),
    dim(`  expected  ${expected}`),
    `  response  ${shown}`,
  ].join('\n')
}
