package io.github.distlock.benchmarks.servers.zookeeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.jvms.ChildJvm;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.servers.ProcessorTime;
import io.github.distlock.benchmarks.servers.Server;
import io.github.distlock.benchmarks.servers.ServerCount;

/**
 * A ZooKeeper server, which counts packets itself.
 */
public final class ZooKeeperServer implements Server {

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private final String address;

	private final ChildJvm keeper;

	private ZooKeeperServer(String address, ChildJvm keeper) {
		this.address = address;
		this.keeper = keeper;
	}

	/**
	 * Start a server.
	 * @return the server, listening
	 */
	public static Server start() {
		ChildJvm keeper = ChildJvm.start(ZooKeeperKeeper.class, ProcessBuilder.Redirect.INHERIT, List.of("-Xmx256m"));
		try {
			return new ZooKeeperServer(keeper.answer(PATIENCE), keeper);
		}
		catch (RuntimeException ex) {
			keeper.close();
			throw ex;
		}
	}

	@Override
	public StoreAddress address() {
		return StoreAddress.of(Kind.ZOOKEEPER, this.address);
	}

	@Override
	public String version() {
		return "ZooKeeper " + report().getOrDefault("zk_version", "unknown").replaceAll("-.*", "");
	}

	@Override
	public ServerCount learn(LongSupplier slice) {
		// All is counted in each slice. This one is for the JVM of the server to learn.
		slice.getAsLong();
		return this::count;
	}

	private Map<Metric, Double> count(LongSupplier slice) {
		double cpu = ProcessorTime.micros(this.keeper.pid());
		Map<String, String> before = report();
		double operations = Math.max(1, slice.getAsLong());
		Map<String, String> after = report();
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		values.put(Metric.REQUESTS, difference(before, after, "zk_packets_received") / operations);
		values.put(Metric.ANSWERS, difference(before, after, "zk_packets_sent") / operations);
		values.put(Metric.SERVER_CPU, (ProcessorTime.micros(this.keeper.pid()) - cpu) / operations);
		return values;
	}

	private static double difference(Map<String, String> before, Map<String, String> after, String name) {
		return Double.parseDouble(after.getOrDefault(name, "0")) - Double.parseDouble(before.getOrDefault(name, "0"));
	}

	private Map<String, String> report() {
		int colon = this.address.lastIndexOf(':');
		try (Socket socket = new Socket(this.address.substring(0, colon),
				Integer.parseInt(this.address.substring(colon + 1)))) {
			socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()
				.map((line) -> line.split("\t", 2))
				.filter((words) -> words.length == 2)
				.collect(Collectors.toMap((words) -> words[0], (words) -> words[1], (one, two) -> one));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		this.keeper.close();
	}

}
