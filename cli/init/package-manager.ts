/** How a package manager installs, and how it runs a program of an installed package. */
export interface PackageManager {
  readonly install: string
  readonly execute: string
}

const npm: PackageManager = { install: 'npm install', execute: 'npx --no-install' }
const others: Readonly<Record<string, PackageManager>> = {
  pnpm: { install: 'pnpm install', execute: 'pnpm exec' },
  // Below its Plug'n'Play there are no programs on the path, and npx finds none.
  yarn: { install: 'yarn install', execute: 'yarn run' },
}

/** The one that started this process, by `npm_config_user_agent` (`pnpm/10.1.0 npm/? node/v24.0.0 …`); npm if none did. */
export function packageManager(userAgent = process.env['npm_config_user_agent'] ?? ''): PackageManager {
  return others[userAgent.split('/')[0] ?? ''] ?? npm
}
