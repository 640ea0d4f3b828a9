/** 127.0.0.0/8, ::1 and localhost, as `URL` normalizes the host name. Only such a host may be reached without TLS. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
