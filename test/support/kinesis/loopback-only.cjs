// Loaded before kinesis-local, which has no option for its address: its servers listen on the loopback address.
const { Server } = require('node:net')
const listen = Server.prototype.listen
Server.prototype.listen = function (first, ...rest) {
  const place =
    typeof first === 'object' ? { ...first, host: '127.0.0.1' } : { port: first, host: '127.0.0.1' }
  return listen.call(this, place, ...rest.filter((each) => typeof each === 'function'))
}
