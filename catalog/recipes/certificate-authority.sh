#!/bin/sh
# A certificate authority. It signs the request of each server, for the address that came with the request.
set -eu
. "$(dirname "$0")/lib.sh"

packages openssl jq
make_home root 0700
umask 077

if [ -n "${certificate:-}" ] && [ -n "${key:-}" ]; then
    printf '%s\n' "$certificate" >"$home/ca.pem"
    printf '%s\n' "$key" >"$home/ca.key"
elif [ -n "${certificate:-}${key:-}" ]; then
    fail "an authority has a certificate and a key: give both, or neither"
elif [ ! -s "$home/ca.pem" ]; then
    # The certificate is written last, so an interrupted run leaves none. The name has a random part:
    # authorities with the same name would be mistaken for each other.
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$home/ca.key" \
        -out "$home/ca.pem.new" -days 7300 -subj "/CN=$own $(openssl rand -hex 8)" \
        -addext basicConstraints=critical,CA:TRUE,pathlen:0 -addext keyUsage=critical,keyCertSign,cRLSign
    mv "$home/ca.pem.new" "$home/ca.pem"
fi
if [ "$(openssl x509 -in "$home/ca.pem" -noout -pubkey)" != "$(openssl pkey -in "$home/ca.key" -pubout)" ]; then
    fail "the key is not the one of the authority's certificate, the first in \`certificate\`"
fi

# An address can be written in many ways, and an IPv4 address also as an IPv6 one. Certificates use a single form.
addresses=$(printf '%s' "$addresses" | jq -r '.[]' | perl -MSocket=inet_ntop,inet_pton,AF_INET,AF_INET6 -ne '
    chomp;
    my ($family, $bytes) = (AF_INET, inet_pton(AF_INET, $_));
    ($family, $bytes) = (AF_INET6, inet_pton(AF_INET6, $_)) unless defined $bytes;
    next unless defined $bytes;
    ($family, $bytes) = (AF_INET, substr $bytes, 12) if $family == AF_INET6 && $bytes =~ /^\0{10}\xff\xff/s;
    print inet_ntop($family, $bytes), "\n"' | jq -R . | jq -s .)

count=$(printf '%s' "$requests" | jq length)
if [ "$count" -ne "$(printf '%s' "$addresses" | jq length)" ]; then
    fail "there are $count requests, and not as many addresses"
fi
# A server states its own address: make sure that none gets a certificate for the address of another.
if [ "$(printf '%s' "$addresses" | jq 'unique | length')" -ne "$count" ]; then
    fail "several servers have one address: $addresses"
fi

ends=$(date -d "$(openssl x509 -in "$home/ca.pem" -noout -enddate | cut -d = -f 2)" +%s)
left=$(((ends - $(date +%s)) / 86400))
if [ "$left" -lt 1 ]; then fail "the authority ends within a day, or has ended"; fi
if [ "$days" -gt "$left" ]; then days=$left; fi

rm -rf "$home/signed"
mkdir "$home/signed"
n=0
while [ "$n" -lt "$count" ]; do
    address=$(printf '%s' "$addresses" | jq -r ".[$n]")
    names=IP:$address
    # Servers that share a machine connect from this address, whatever their own is.
    case $address in 127.*) names=$names,IP:127.0.0.1 ;; esac
    cat >"$home/extensions" <<CONF
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth,clientAuth
authorityKeyIdentifier=keyid
subjectAltName=$names
CONF
    printf '%s' "$requests" | jq -r ".[$n]" >"$home/request"
    # Whoever asks must have the key, but decides nothing else.
    openssl x509 -req -in "$home/request" -subj "/CN=$address" -CA "$home/ca.pem" -CAkey "$home/ca.key" -set_serial "0x$(openssl rand -hex 16)" \
        -days "$days" -extfile "$home/extensions" -out "$home/certificate" ||
        fail "the request of the server with the address $address cannot be signed"
    cat "$home/certificate" "$home/ca.pem" >"$home/signed/$(printf '%05d' "$n")"
    n=$((n + 1))
done

for signed in "$home"/signed/*; do jq -Rs . "$signed"; done | jq -s . >"${heat_outputs_path}.certificates"
cat "$home/ca.pem" >"${heat_outputs_path}.authority"
