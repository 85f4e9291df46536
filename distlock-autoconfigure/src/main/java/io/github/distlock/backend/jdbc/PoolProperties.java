package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeansException;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * What the pool behind a {@link DataSource} says of itself. Proxies of Spring are looked
 * through. Never fails: what a pool does not say, or what its getter throws at, is not
 * known.
 */
final class PoolProperties {

	/** Names that pools have for their number of connections. */
	private static final List<String> SIZES = List.of("maximumPoolSize", "maxTotal", "maxActive", "maxPoolSize");

	/** After this time the pool ends a connection, or reports it as leaked. */
	private static final Map<String, TimeUnit> AGES = Map.of("maxLifetime", TimeUnit.MILLISECONDS,
			"leakDetectionThreshold", TimeUnit.MILLISECONDS, "maxAge", TimeUnit.MILLISECONDS, "maxConnLifetimeMillis",
			TimeUnit.MILLISECONDS, "maxConnectionAge", TimeUnit.SECONDS, "unreturnedConnectionTimeout",
			TimeUnit.SECONDS);

	/** Switches of {@link #ABANDONED}. */
	private static final List<String> ABANDONING = List.of("removeAbandoned", "removeAbandonedOnBorrow",
			"removeAbandonedOnMaintenance");

	/** After these seconds the pool takes a connection away from its borrower. */
	private static final String ABANDONED = "removeAbandonedTimeout";

	/** Connections are not exchanged more often than this. */
	private static final Duration SHORTEST_USE = Duration.ofSeconds(1);

	private static final Duration LONGEST_AGE = Duration.ofMinutes(30);

	private final DataSource pool;

	private final BeanWrapper properties;

	PoolProperties(DataSource dataSource) {
		this.pool = behindProxies(dataSource);
		this.properties = PropertyAccessorFactory.forBeanPropertyAccess(this.pool);
	}

	private static DataSource behindProxies(DataSource dataSource) {
		DataSource found = dataSource;
		for (DataSource next = found; next != null; next = next(found)) {
			found = next;
		}
		return found;
	}

	private static @Nullable DataSource next(DataSource dataSource) {
		if (dataSource instanceof DelegatingDataSource proxy) {
			return proxy.getTargetDataSource();
		}
		return (dataSource instanceof AbstractRoutingDataSource routing) ? routing.getResolvedDefaultDataSource()
				: null;
	}

	/**
	 * Return how many connections the pool has at most.
	 * @return the number, or {@code null} if it is not known
	 */
	@Nullable Integer size() {
		for (String name : SIZES) {
			Number size = number(name);
			if (size != null && size.intValue() > 0) {
				return size.intValue();
			}
		}
		return null;
	}

	/** Whether {@link #size()} may be known as soon as the pool has been used. */
	boolean tellsItsSizeLater() {
		return size() == null && SIZES.stream().anyMatch(this.properties::isReadableProperty);
	}

	/** Whether there is no pool: each connection is a new one, without a limit. */
	boolean isUnpooled() {
		return this.pool instanceof AbstractDriverBasedDataSource;
	}

	/**
	 * Return for how long a connection may stay out of the pool: shorter than the time
	 * after which the pool would end it, take it away or report it, but at least one
	 * second.
	 */
	Duration longestUse() {
		long millis = LONGEST_AGE.toMillis();
		for (Map.Entry<String, TimeUnit> age : AGES.entrySet()) {
			millis = shorter(millis, number(age.getKey()), age.getValue());
		}
		if (ABANDONING.stream().anyMatch((name) -> Boolean.TRUE.equals(value(name)))) {
			millis = shorter(millis, number(ABANDONED), TimeUnit.SECONDS);
		}
		return Duration.ofMillis(Math.max(SHORTEST_USE.toMillis(), millis * 4 / 5));
	}

	private static long shorter(long millis, @Nullable Number age, TimeUnit unit) {
		return (age != null && age.longValue() > 0) ? Math.min(millis, unit.toMillis(age.longValue())) : millis;
	}

	private @Nullable Number number(String name) {
		return (value(name) instanceof Number number) ? number : null;
	}

	private @Nullable Object value(String name) {
		try {
			return this.properties.isReadableProperty(name) ? this.properties.getPropertyValue(name) : null;
		}
		catch (BeansException ex) {
			return null;
		}
	}

}
