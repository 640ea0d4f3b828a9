import type { ComponentChildren } from 'preact'
import { exported } from '../exported.ts'
import { links } from '../model/route.ts'

interface RunLinkProps {
  readonly entity: string
  readonly runId: string
  readonly isPlain?: boolean
  readonly children: ComponentChildren
}

/** A link to a run. An export does not contain runs. */
export const RunLink = ({ entity, runId, isPlain, children }: RunLinkProps) =>
  exported ? (
    <span>{children}</span>
  ) : (
    <a href={links.run(entity, runId)} class={isPlain ? 'plain' : undefined}>
      {children}
    </a>
  )
