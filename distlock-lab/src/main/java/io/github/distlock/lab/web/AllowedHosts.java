package io.github.distlock.lab.web;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The hosts under which a service may be called. A name that an attacker's DNS server
 * resolves to this machine is none of them.
 */
final class AllowedHosts {

	private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

	private final Set<String> hosts;

	/**
	 * Allow the loopback addresses and further hosts.
	 * @param further names and addresses without a port
	 * @throws IllegalArgumentException if one of them is not a host
	 */
	AllowedHosts(List<String> further) {
		this.hosts = Stream.concat(LOOPBACK.stream(), further.stream().map(AllowedHosts::checked))
			.collect(Collectors.toUnmodifiableSet());
	}

	boolean contain(Authority authority) {
		return this.hosts.contains(authority.host());
	}

	private static String checked(String host) {
		Authority authority = Authority.parse(host).orElseThrow(() -> new IllegalArgumentException(problem(host)));
		if (authority.port() != Authority.NO_PORT) {
			throw new IllegalArgumentException(problem(host));
		}
		return host.toLowerCase(Locale.ROOT);
	}

	private static String problem(String host) {
		return "'%s' in sample.allowed-hosts is not a host: write a name or an address without scheme and port, such as lab.example"
			.formatted(host);
	}

}
