/**
 * The settings of a cluster that is as small as can be and quick to start: no keys inside it, nothing on the disk, no work in the background.
 * @param {{ folder: string, port: number, monitorPort: number, fsid: string }} options
 */
export function cephConfig({ folder, port, monitorPort, fsid }) {
  return `[global]
fsid = ${fsid}
mon host = [v2:127.0.0.1:${monitorPort}/0]
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
auth allow insecure global id reclaim = true
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
# Without keys there is nothing to encrypt with; the gateway ends silently otherwise.
ms mon client mode = crc
run dir = ${folder}/run
log file = ${folder}/$name.log
admin socket = ${folder}/run/$name.$pid.asok
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
# Each pool that is made is a proposal, which waits for others that may come.
paxos propose interval = 0.01
paxos min wait = 0.01
mon allow pool size one = true
mon warn on pool no redundancy = false
mon data avail crit = 1
mon osd full ratio = 0.99
mon max pg per osd = 2000
osd crush chooseleaf type = 0
osd crush update on start = true
osd objectstore = memstore
memstore device bytes = 2147483648
osd max object name len = 2048
osd class load list = *
osd class default list = *

[mon.a]
mon data = ${folder}/mon

[osd.0]
osd data = ${folder}/osd

[client.rgw.a]
rgw data = ${folder}/rgw
# Without tcp_nodelay each answer waits 40 ms.
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw dns name = localhost
rgw enable ops log = false
rgw enable usage log = false
rgw thread pool size = 32
rgw run sync thread = false
rgw enable gc threads = false
rgw enable lc threads = false
`
}
