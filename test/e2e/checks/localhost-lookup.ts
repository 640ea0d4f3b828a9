/** The emulator's host names do not resolve everywhere. */
export const localhostLookup = {
  js: `import dns from 'node:dns'
const { lookup } = dns
dns.lookup = (host, ...rest) => lookup(host.endsWith('.localhost') ? '127.0.0.1' : host, ...rest)`,
  python: `import socket
lookup = socket.getaddrinfo
socket.getaddrinfo = lambda host, *rest, **more: lookup("127.0.0.1" if host.endswith(".localhost") else host, *rest, **more)`,
}
