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
 * The properties of the connection pool behind a {@link DataSource}, also behind Spring's
 * proxies. Never fails: a property that the pool does not have, or whose getter throws,
 * is unknown.
 */
final class PoolProperties {

	/** Names of the property for the maximum number of connections. */
	private static final List<String> SIZES = List.of("maximumPoolSize", "maxTotal", "maxActive", "maxPoolSize");

	/** Names of the property for the URL. */
	private static final List<String> URLS = List.of("jdbcUrl", "url");

	/**
	 * Names of the times after which a pool ends a connection or reports it as leaked.
	 */
	private static final Map<String, TimeUnit> AGES = Map.of("maxLifetime", TimeUnit.MILLISECONDS,
			"leakDetectionThreshold", TimeUnit.MILLISECONDS, "maxAge", TimeUnit.MILLISECONDS, "maxConnLifetimeMillis",
			TimeUnit.MILLISECONDS, "maxConnectionAge", TimeUnit.SECONDS, "unreturnedConnectionTimeout",
			TimeUnit.SECONDS);

	/** Names of the properties that enable {@link #ABANDONED}. */
	private static final List<String> ABANDONING = List.of("removeAbandoned", "removeAbandonedOnBorrow",
			"removeAbandonedOnMaintenance");

	/** Name of the time in seconds after which a pool takes a connection away. */
	private static final String ABANDONED = "removeAbandonedTimeout";

	/** Reserved connections are not replaced more often than this. */
	private static final Duration SHORTEST_USE = Duration.ofSeconds(1);

	private static final Duration LONGEST_AGE = Duration.ofMinutes(30);

	/**
	 * Names of the properties for another source of the connections than the URL, or for
	 * other code that gets between the pool and its connections.
	 */
	private static final List<String> SOURCES = List.of("dataSource", "dataSourceClassName", "dataSourceJNDI",
			"connectionFactoryClassName", "jdbcInterceptors");

	private final DataSource pool;

	/** Whether there are proxies before the pool. */
	private final boolean proxied;

	private final BeanWrapper properties;

	PoolProperties(DataSource dataSource) {
		this.pool = withoutProxies(dataSource);
		this.proxied = this.pool != dataSource;
		this.properties = PropertyAccessorFactory.forBeanPropertyAccess(this.pool);
	}

	private static DataSource withoutProxies(DataSource dataSource) {
		DataSource target = dataSource;
		for (DataSource next = target; next != null; next = next(target)) {
			target = next;
		}
		return target;
	}

	private static @Nullable DataSource next(DataSource dataSource) {
		if (dataSource instanceof DelegatingDataSource proxy) {
			return proxy.getTargetDataSource();
		}
		return (dataSource instanceof AbstractRoutingDataSource routing) ? routing.getResolvedDefaultDataSource()
				: null;
	}

	/**
	 * Return the maximum number of connections.
	 * @return the number, or {@code null} if it is unknown
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

	/**
	 * Whether {@link #size()} may become known when the pool is used for the first time.
	 */
	boolean isSizeKnownLater() {
		return size() == null && SIZES.stream().anyMatch(this.properties::isReadableProperty);
	}

	/**
	 * Whether there is no pool: each connection is a new one, and their number is
	 * unlimited.
	 */
	boolean isUnpooled() {
		return this.pool instanceof AbstractDriverBasedDataSource;
	}

	/**
	 * Return the class of the pool if the data source is a pool that opens its
	 * connections by a URL, without a proxy before it or behind it.
	 * @return the name of the class, or an empty text
	 */
	String directPool() {
		boolean direct = !this.proxied && SOURCES.stream().allMatch((name) -> value(name) == null);
		return direct ? this.pool.getClass().getName() : "";
	}

	/**
	 * Return how long a connection may stay out of the pool: 80 % of the time after which
	 * the pool would end it, take it away or report it as leaked, but at least one
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

	/**
	 * Return the URL of the database, which may contain credentials.
	 * @return the URL, or {@code null} if it is unknown
	 */
	@Nullable String url() {
		for (String name : URLS) {
			if (value(name) instanceof String url) {
				return url;
			}
		}
		return null;
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
