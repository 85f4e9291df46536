package io.github.distlock.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the actuator endpoint {@code distlocks}.
 *
 * @param showValues When to show keys, hosts and callers. A user that does not see them
 * cannot release anything.
 * @param roles Roles that allow a user to see values. One of them is sufficient. When
 * empty, all authenticated users see them.
 */
@ConfigurationProperties("management.endpoint.distlocks")
public record DistlocksEndpointProperties(@DefaultValue("when-authorized") Show showValues,
		@DefaultValue Set<String> roles) {
}
