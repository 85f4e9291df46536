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
 * A database server. Statements are counted in the slice that is watched, everything else
 * in each slice.
 */
abstract class DatabaseServer implements Server {

	final SqlConsole console;

	private final ChildJvm keeper;

	/** Each query returns a number that rises with what the server does. */
	private final Map<Metric, String> counters;

	DatabaseServer(SqlConsole console, ChildJvm keeper, Map<Metric, String> counters) {
		this.console = console;
		this.keeper = keeper;
		this.counters = counters;
	}

	/** Begin or end to count statements. */
	abstract void countStatements(boolean count);

	/** The query that returns the number of statements. */
	abstract String statements();

	/** The process whose processor time is that of the server. */
	abstract long pid();

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
		countStatements(true);
		double before = this.console.number(statements());
		double operations = Math.max(1, slice.getAsLong());
		double statements = (this.console.number(statements()) - before) / operations;
		countStatements(false);
		return (timed) -> count(timed, statements);
	}

	private Map<Metric, Double> count(LongSupplier slice, double statements) {
		double cpu = ProcessorTime.micros(pid());
		Map<Metric, Double> before = read();
		double operations = Math.max(1, slice.getAsLong());
		Map<Metric, Double> values = read();
		values.replaceAll((metric, value) -> (value - before.getOrDefault(metric, 0.0)) / operations);
		values.put(Metric.STATEMENTS, statements);
		values.put(Metric.SERVER_CPU, (ProcessorTime.micros(pid()) - cpu) / operations);
		return values;
	}

	private Map<Metric, Double> read() {
		Map<Metric, Double> values = new EnumMap<>(Metric.class);
		this.counters.forEach((metric, query) -> values.put(metric, this.console.number(query)));
		return values;
	}

	@Override
	public void close() {
		this.console.close();
		this.keeper.close();
	}

}
