package io.github.distlock.benchmarks.servers.jdbc;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;

import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.jvms.ChildJvm;
import io.github.distlock.benchmarks.report.Metric;
import io.github.distlock.benchmarks.servers.ProcessorTime;
import io.github.distlock.benchmarks.servers.Server;
import io.github.distlock.benchmarks.servers.ServerCount;

/**
 * A server of H2. Statements are counted in the slice that is watched.
 */
final class H2Server implements Server {

	private static final String STATEMENTS = "SELECT coalesce(sum(execution_count), 0) FROM information_schema.query_statistics WHERE sql_statement NOT LIKE '%QUERY_STATISTICS%'";

	private final SqlConsole console;

	private final ChildJvm keeper;

	H2Server(SqlConsole console, ChildJvm keeper) {
		this.console = console;
		this.keeper = keeper;
	}

	@Override
	public StoreAddress address() {
		return this.console.address();
	}

	@Override
	public String version() {
		return this.console.product();
	}

	@Override
	public ServerCount learn(LongSupplier slice) {
		this.console.run("SET QUERY_STATISTICS TRUE");
		double before = this.console.number(STATEMENTS);
		double operations = Math.max(1, slice.getAsLong());
		double statements = (this.console.number(STATEMENTS) - before) / operations;
		this.console.run("SET QUERY_STATISTICS FALSE");
		return (timed) -> count(timed, statements);
	}

	private Map<Metric, Double> count(LongSupplier slice, double statements) {
		double cpu = ProcessorTime.micros(this.keeper.pid());
		double operations = Math.max(1, slice.getAsLong());
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		values.put(Metric.STATEMENTS, statements);
		values.put(Metric.SERVER_CPU, (ProcessorTime.micros(this.keeper.pid()) - cpu) / operations);
		return values;
	}

	@Override
	public void close() {
		this.console.close();
		this.keeper.close();
	}

}
