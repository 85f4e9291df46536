package io.github.distlock.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the actuator endpoint {@code distlocks}.
 *
 * @param showValues When to show keys, hosts and callers. Nothing can be released by
 * users that do not see them.
 * @param roles Roles of which a user must have one to be authorized to see values. When
 * empty, all authenticated users are authorized.
 */
@ConfigurationProperties("management.endpoint.distlocks")
public record DistlocksEndpointProperties(@DefaultValue("when-authorized") Show showValues,
		@DefaultValue Set<String> roles) {
}
