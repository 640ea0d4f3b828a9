/** The variables of a proxy to the internet, as `node:http` reads them for an agent (`proxyEnv`). */
export type ProxyVariables = Readonly<Record<'http_proxy' | 'https_proxy' | 'no_proxy', string>>

/** Hosts that are always reached directly: `npm start` calls its own servers. */
const loopback = 'localhost,.localhost,127.0.0.0-127.255.255.255,::1,[::1]'

/**
 * The proxy that a machine's environment names: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, or the same in lower case,
 * which counts first. Undefined if none is named, and in Lambda, whose network is configured with `network`.
 */
export function readProxy(env: NodeJS.ProcessEnv = process.env): ProxyVariables | undefined {
  if (env['AWS_LAMBDA_FUNCTION_NAME'] !== undefined) return undefined
  const read = (name: string) => env[name] || env[name.toUpperCase()] || ''
  const [http, https] = [urlOf(read('http_proxy')), urlOf(read('https_proxy'))]
  if (http === '' && https === '') return undefined
  const direct = [read('no_proxy'), loopback].filter(Boolean).join(',')
  return { http_proxy: http, https_proxy: https, no_proxy: direct }
}

/**
 * The proxy that refused or could not be reached, in a clause without a full stop; undefined if another computer is the
 * cause. Credentials in the proxy's URL are not shown.
 */
export function proxyFailure(cause: unknown, variables = readProxy()): string | undefined {
  if (!(cause instanceof Error) || !variables) return undefined
  const { code, address, hostname, port } = cause as Error & Readonly<Record<string, unknown>>
  const urls = [variables.https_proxy, variables.http_proxy].flatMap((text) => URL.parse(text) ?? [])
  for (const { protocol, host, hostname: name, port: ownPort } of urls) {
    const proxy = `the proxy ${protocol}//${host} (HTTPS_PROXY or HTTP_PROXY)`
    if (code === 'ERR_PROXY_TUNNEL') return `${proxy} made no connection: ${tunnelStatus(cause.message)}`
    const isProxy =
      hostname === name || (address !== undefined && String(port) === (ownPort || defaultPort(protocol)))
    if (isProxy) return `${proxy} cannot be reached (${String(code)})`
  }
  return undefined
}

/** `proxy.example.com:3128` is a proxy that is called over HTTP, as in curl. */
const urlOf = (text: string) => (text === '' || text.includes('://') ? text : `http://${text}`)

const defaultPort = (protocol: string) => (protocol === 'https:' ? '443' : '80')

/** The proxy's status line ends the message of Node. */
const tunnelStatus = (message: string) => /HTTP\/1\.\d (\d{3}.*)$/.exec(message)?.[1] ?? message
