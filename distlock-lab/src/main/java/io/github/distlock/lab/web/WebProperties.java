package io.github.distlock.lab.web;

import java.util.List;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of all services of the sample.
 *
 * @param allowedHosts names and addresses, without a port, under which the services may
 * be called; {@code localhost}, {@code 127.0.0.1} and {@code [::1]} are always allowed
 */
@ConfigurationProperties("sample")
record WebProperties(@DefaultValue List<String> allowedHosts) {

}
