/** Names under which only programs of this machine reach a loopback server. */
const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

export const wrongHost = 'The Host header must name this machine: 127.0.0.1, localhost or [::1].'

/** Whether a Host header names this machine. A web page under another host name may have been rebound to it by DNS. */
export const isLoopbackHost = (host: string | undefined): boolean =>
  host !== undefined && loopbackNames.includes(host.toLowerCase().replace(/:\d*$/, ''))
