import type { Drill } from './drill.ts'
import { formOf } from './named-commands.ts'
import { commandsOf, type PageName, situationsOf } from './pages.ts'

type Named = Pick<Drill<never, never>, 'page' | 'situation'>

/** The arguments of the `longshore` commands in these command lines. */
export const longshoreArgs = (commands: readonly string[]): string[] =>
  commands
    .flatMap((command) => command.split('\n'))
    .flatMap((line) => /^npx --no-install longshore (.+?)(?:\s+#.*)?$/.exec(line.trim())?.[1] ?? [])

const values = { ENTITY: 'CL', RUN_ID: '20260301T060000000Z-0123456789ab' }

/** The commands that these pages name in situations that only these drills resolve, and that none of them has executed. */
export function unexecuted(
  pages: readonly PageName[],
  { drills, others }: { readonly drills: readonly Named[]; readonly others: readonly Named[] },
  executed: ReadonlySet<string>,
): string[] {
  const isOf = (page: PageName, title: string) => (drill: Named) =>
    drill.page === page && drill.situation === title
  const own = pages.flatMap((page) =>
    situationsOf(page).filter(
      ({ title }) => drills.some(isOf(page, title)) && !others.some(isOf(page, title)),
    ),
  )
  return own.flatMap(({ title, text }) =>
    longshoreArgs(commandsOf(text, values))
      .map(formOf)
      .filter((form) => !executed.has(form))
      .map((form) => `${title}: ${form}`),
  )
}
